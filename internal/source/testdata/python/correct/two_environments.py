"""One settings function for all clients of a service."""
import argparse
import socket

from confluent_kafka import Consumer, Producer


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--servers", default="localhost:9092")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--exactly-once", action="store_true")
    return parser.parse_args()


def base(args):
    conf = {"bootstrap.servers": args.servers, "client.id": socket.gethostname()}
    if args.tls:
        conf["security.protocol"] = "SSL"
        conf["ssl.ca.location"] = "/etc/ca.pem"
    return conf


def producer(args):
    conf = base(args)
    if args.exactly_once:
        conf.update({"transactional.id": f"svc-{socket.gethostname()}", "enable.idempotence": True})
    if not args.exactly_once:
        conf |= {"acks": "1", "enable.idempotence": False}
    return Producer(conf)


def consumer(args):
    conf = dict(base(args), **{"group.id": "svc", "auto.offset.reset": "latest"})
    conf.setdefault("isolation.level", "read_committed" if args.exactly_once else "read_uncommitted")
    return Consumer(conf)


if __name__ == "__main__":
    args = parse()
    c, p = consumer(args), producer(args)
    c.subscribe(["ping"])
    msg = c.poll(10)
    if msg is not None and not msg.error():
        failures = []
        if args.exactly_once:
            p.init_transactions()
            p.begin_transaction()
        p.produce("pong", msg.value(), on_delivery=lambda e, m: failures.append(e) if e else None)
        if args.exactly_once:
            p.commit_transaction()
        else:
            p.flush()
    c.close()
