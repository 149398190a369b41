package workbook

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/clients/install"
	"kcompare/internal/page"
)

// block is a block of a kind with attributes, "name=value" each.
func block(kind string, attributes ...string) Block {
	b := Block{Block: page.Block{ID: "one", Kind: kind}, Page: "workbook/en/02-test.md"}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		b.Attributes = append(b.Attributes, page.Attribute{Name: name, Value: value})
	}
	return b
}

var twoClients = Manifest{Clients: []string{"franz", "librdkafka"}}

func TestNeeds(t *testing.T) {
	plain := Parameters{Seed: 1, Messages: 200, DropRate: 0.35, Retries: 30, Warmup: 4, DeliveryTimeout: "1m0s", Nodes: 3}
	need := func(variant, client string) Need {
		return Need{Scenario: "idempotent", Variant: variant, Client: client, Broker: "embedded", Parameters: plain}
	}
	const on, off = "enable.idempotence=true,sends=sequential", "enable.idempotence=false,sends=sequential"
	kafka := need(off, "python@2.11.1")
	kafka.Broker = "kafka"
	kafka.Parameters = Parameters{Seed: -7, Messages: 10, DropRate: 1, Retries: 0, Warmup: 1, DeliveryTimeout: "1m30s", Nodes: 1}
	for _, test := range []struct {
		name       string
		attributes []string
		want       []Need
	}{
		{"clients of the manifest", []string{"variants=enable.idempotence=false,sends=sequential"}, []Need{need(off, "franz"), need(off, "librdkafka")}},
		{"every one that has the pairs", []string{"clients=franz", "variants=enable.idempotence=true"}, []Need{
			need(on, "franz"), need("enable.idempotence=true,sends=concurrent", "franz"), need("enable.idempotence=true,retries=1,sends=sequential", "franz"), need("enable.idempotence=true,retries=1,sends=concurrent", "franz"),
		}},
		{"two patterns, in the scenario's order", []string{"clients=franz", "variants=enable.idempotence=false, sends=sequential; " + on}, []Need{need(on, "franz"), need(off, "franz")}},
		{"every parameter", []string{
			"variants=" + off, "clients=python@2.11.1", "broker=kafka", "seed=-7", "messages=10", "drop-rate=1", "retries=0", "warmup=1", "delivery-timeout=90s",
		}, []Need{kafka}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := needs(block("compare", append(test.attributes, "scenario=idempotent")...), twoClients)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestWrongAttributesOfTrials(t *testing.T) {
	for _, test := range []struct{ attributes, want string }{
		{"", "scenario: is missing: expected one of idempotent, "},
		{"scenario=idempotant", `scenario: unknown scenario "idempotant": did you mean idempotent?`},
		{"scenario=idempotent,zombie", `scenario: "idempotent,zombie": expected one scenario, a block of kind compare tells of no more`},
		{"scenario=zombie variants=producer=transactionel", `variants: unknown variant of zombie "producer=transactionel": did you mean producer=transactional?`},
		{"scenario=zombie variants=acks=0", `variants: unknown variant of zombie "acks=0": expected pairs of producer=transactional ; producer=idempotent`},
		{"scenario=zombie variants=producer=idempotent;x=y", `variants: unknown variant of zombie "x=y": expected pairs of`},
		{"scenario=zombie clients=librdkafla", `clients: unknown client "librdkafla": did you mean librdkafka?`},
		{"scenario=zombie clients=exec:rm", `clients: unknown client "exec:rm": expected franz, librdkafka, `},
		{"scenario=zombie clients=python@", `clients: "python@": expected a version behind the @`},
		{"scenario=zombie clients=franz,franz", `clients: franz stands there twice`},
		{"scenario=zombie broker=kafak", `broker: unknown broker "kafak": did you mean kafka?`},
		{"scenario=zombie seed=one", `seed: "one": expected a whole number from -9223372036854775808 to 9223372036854775807`},
		{"scenario=zombie messages=0", `messages: "0": expected a whole number from 1 to 10000`},
		{"scenario=zombie drop-rate=NaN", `drop-rate: "NaN": expected a number from 0 to 1`},
		{"scenario=zombie delivery-timeout=5", `delivery-timeout: "5": expected a duration such as 1m, from 1s to 24h0m0s`},
		{"scenario=zombie broker=kafka nodes=2", `nodes: 2: expected 1 or 3 with broker="kafka"`},
	} {
		_, err := needs(block("compare", strings.Fields(test.attributes)...), twoClients)
		var wrong *AttributeError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.attributes, err, test.want)
		}
	}
	if _, err := needs(block("compare", "scenario=zombie"), Manifest{}); err == nil || !strings.Contains(err.Error(), "kcompare.yaml names none") {
		t.Errorf("no clients anywhere: %v", err)
	}
}

// TestClients: a client that kcompare plays may stand in a page.
func TestClients(t *testing.T) {
	var names []string
	for _, p := range install.Catalogue() {
		names = append(names, p.Name)
	}
	for _, name := range names {
		if !slices.Contains(Clients(), name) {
			t.Errorf("%s: no block may name it", name)
		}
	}
}
