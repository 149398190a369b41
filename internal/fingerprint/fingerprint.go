// Package fingerprint reads a trace the other way round: which settings clients have, as
// far as their requests show it.
//
// It is pure: exchanges in, values out. Settings have the names and spellings of package
// config. What a request carries is exact; what only shows in how much or how fast a
// client does something is a bound or a measurement, and says so (Precision). What no
// request shows, as linger.ms, is not guessed.
package fingerprint

import (
	"maps"
	"slices"

	"kcompare/internal/evidence"
)

// Fingerprint is what one client of a program showed of itself.
type Fingerprint struct {
	ClientID string
	Library  Library
	Requests map[string]int64 // by API, those that a fault kept from the broker included
	Traits   []Trait          // in the order of Keys

	Batches      Batches
	Transactions Transactions
	Again        []Again // requests that were sent more than once, in the order of the first time
}

// Of tells the clients of a program apart, by client.id and by what their library calls
// itself in ApiVersions, and reads the settings of each. They are in the order in which
// they first asked for something. A client that has a connection of each kind (one for
// its group's coordinator, say) has one fingerprint. Exchanges need their Fields
// (proxy.Options.Fields). Package probe calls it.
func Of(exchanges []evidence.Exchange) []Fingerprint {
	var order []client
	byClient := map[client][]evidence.Exchange{}
	libraries := libraryOf(exchanges)
	for _, e := range exchanges {
		c := client{e.Client, libraries[e.Conn]}
		if _, known := byClient[c]; !known {
			order = append(order, c)
		}
		byClient[c] = append(byClient[c], e)
	}
	var all []Fingerprint
	for _, c := range order {
		all = append(all, of(c, byClient[c]))
	}
	return all
}

// client is who has one fingerprint.
type client struct {
	id      string
	library Library
}

func of(c client, exchanges []evidence.Exchange) Fingerprint {
	f := Fingerprint{
		ClientID: c.id, Library: c.library, Requests: map[string]int64{},
		Batches: batchesOf(exchanges), Transactions: transactionsOf(exchanges), Again: againOf(exchanges),
	}
	for _, e := range exchanges {
		f.Requests[e.API]++
	}
	for _, key := range Keys() {
		if t, seen := Find(key, exchanges); seen {
			f.Traits = append(f.Traits, t)
		}
	}
	return f
}

// Trait is the trait of that key, if it was seen.
func (f Fingerprint) Trait(key string) (Trait, bool) {
	i := slices.IndexFunc(f.Traits, func(t Trait) bool { return t.Key == key })
	if i < 0 {
		return Trait{}, false
	}
	return f.Traits[i], true
}

// APIs are the APIs that the client asked for, sorted.
func (f Fingerprint) APIs() []string { return slices.Sorted(maps.Keys(f.Requests)) }

// Produces and Consumes say what the client did with records. One that did neither may
// be an admin client, or have failed before it came to that.
func (f Fingerprint) Produces() bool {
	return f.Requests["Produce"] > 0 || f.Requests["InitProducerId"] > 0
}

// Consumes is true for a member of a group that never came to its first Fetch, too.
func (f Fingerprint) Consumes() bool {
	return f.Requests["Fetch"] > 0 || f.Requests["JoinGroup"] > 0 || f.Requests["ConsumerGroupHeartbeat"] > 0
}

// libraryOf is what the library of each connection calls itself. A client of before
// KIP-511 says nothing, and neither does one in a connection that broke too early; what
// another connection with the same client.id said is taken then, if all said the same.
func libraryOf(exchanges []evidence.Exchange) map[int64]Library {
	byConn, byID := map[int64]Library{}, map[string][]Library{}
	for _, e := range exchanges {
		l := libraryIn(e)
		if l.Software == "" {
			continue
		}
		byConn[e.Conn] = l
		if !slices.Contains(byID[e.Client], l) {
			byID[e.Client] = append(byID[e.Client], l)
		}
	}
	for _, e := range exchanges {
		if _, said := byConn[e.Conn]; !said && len(byID[e.Client]) == 1 {
			byConn[e.Conn] = byID[e.Client][0]
		}
	}
	return byConn
}
