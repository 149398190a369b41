import sys

import click
from confluent_kafka import Producer


@click.group()
@click.option("--servers", default="localhost:9092")
@click.option("-X", "extra", multiple=True, help="key=value")
@click.pass_context
def cli(ctx, servers, extra):
    ctx.obj = {"bootstrap.servers": servers, "client.id": "cli"}
    ctx.obj.update(pair.split("=", 1) for pair in extra)


@cli.command()
@click.argument("topic")
@click.pass_obj
def send(conf, topic):
    errors = []
    producer = Producer(conf)
    for line in sys.stdin:
        producer.produce(topic, line.rstrip().encode(), callback=lambda err, msg: errors.append(err) if err else None)
        producer.poll(0)
    producer.flush()
    if errors:
        raise click.ClickException(f"{len(errors)} lines failed, first: {errors[0]}")


if __name__ == "__main__":
    cli()
