package proxy

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// request is a request as far as the proxy understands it.
type request struct {
	requestHeader
	message kmsg.Request // nil where the body is not decoded

	parts    []fault.Part
	batches  []evidence.TraceBatch
	end      string   // EndTxn only: "commit" or "abort"
	ids      []string // transactional ids, as rules call them
	traceEnd *evidence.TraceEnd
	summary  string
	fields   map[string]string // nil unless Options.Fields
	noAnswer bool              // Produce with acks=0
}

// secret are APIs whose bodies hold credentials, tokens, or settings that may be
// passwords. They are never decoded, so nothing of them can reach a trace.
func secret(key int16) bool {
	switch kmsg.Key(key) {
	case kmsg.SASLAuthenticate, kmsg.CreateDelegationToken, kmsg.RenewDelegationToken,
		kmsg.ExpireDelegationToken, kmsg.DescribeDelegationToken,
		kmsg.AlterUserSCRAMCredentials, kmsg.DescribeUserSCRAMCredentials,
		kmsg.AlterConfigs, kmsg.IncrementalAlterConfigs, kmsg.DescribeConfigs:
		return true
	}
	return false
}

var (
	errSaslV0  = errors.New("SaslHandshake v0 is refused: raw tokens follow it, which are no Kafka frames; expected a client of Kafka 1.0 or later, which sends v1")
	errVersion = errors.New("a version that the proxy does not know, though it was not offered")
)

// readRequest decodes a frame, and with a parser the records in it. An error means
// that the connection cannot go on: whether or where an answer comes would be a
// guess.
func (p *Proxy) readRequest(frame []byte, records *batch.Parser) (*request, error) {
	h, err := parseRequestHeader(frame)
	if err != nil {
		return nil, err
	}
	r := &request{requestHeader: h}
	if h.key == int16(kmsg.SASLHandshake) && h.version == 0 {
		return r, errSaslV0
	}
	message := newRequest(h.key, h.version)
	if message == nil || secret(h.key) {
		return r, nil
	}
	if h.version > message.MaxVersion() || h.version < 0 {
		return r, p.unknownVersion(r)
	}
	if err := message.ReadFrom(frame[h.body:]); err != nil {
		return r, fmt.Errorf("read a %s v%d request: %w", apiName(h.key), h.version, err)
	}
	r.message = message
	p.understand(r, records)
	return r, nil
}

// unknownVersion: ApiVersions may come in any version (KIP-511); of the others
// only those can pass whose answer need not be rewritten.
func (p *Proxy) unknownVersion(r *request) error {
	if carriesAddresses(r.key) {
		return fmt.Errorf("read a %s v%d request: %w", apiName(r.key), r.version, errVersion)
	}
	if r.key != int16(kmsg.ApiVersions) {
		p.record.problem("%s v%d passed undecoded: %v", apiName(r.key), r.version, errVersion)
	}
	return nil
}

// understand fills in what faults and the trace ask for. It reads names,
// numbers, batch headers and identities, never keys or values of records.
func (p *Proxy) understand(r *request, records *batch.Parser) {
	v := view{p: p, api: apiName(r.key), records: records}
	if p.opts.Fields {
		r.fields = fieldsOf(r.message)
	}
	r.ids = p.known(transactionalIDs(r.message))
	switch m := r.message.(type) {
	case *kmsg.ProduceRequest:
		r.noAnswer = m.Acks == 0
		r.batches, r.parts = v.produce(m)
		r.summary = v.produceSummary(m)
		return
	case *kmsg.EndTxnRequest:
		r.end = "abort"
		if m.Commit {
			r.end = "commit"
		}
		r.traceEnd = &evidence.TraceEnd{
			Commit: m.Commit, TransactionalID: m.TransactionalID, ProducerID: m.ProducerID, ProducerEpoch: m.ProducerEpoch,
		}
		r.summary = fmt.Sprintf("%s %s %s", r.end, m.TransactionalID, producer(m.ProducerID, m.ProducerEpoch))
		return
	}
	r.parts = v.parts(r.message)
	r.summary = v.summary(r.message)
}

// exchange is the request as the trace shows it.
func (r *request) exchange(conn int64, node int32, size int) *evidence.Exchange {
	e := &evidence.Exchange{
		Conn: conn, Node: node, Client: r.client, API: apiName(r.key), Version: r.version,
		Correlation: r.correlation, RequestBytes: size, Batches: r.batches, Summary: r.summary, Fields: r.fields,
		TransactionalID: first(r.ids),
	}
	if r.traceEnd != nil {
		own := *r.traceEnd // a request that comes to the broker twice has two answers
		e.End = &own
	}
	return e
}

// decision is the request as fault rules see it: the nth of its connection.
func (r *request) decision(node int32, number int) fault.Request {
	return fault.Request{Client: r.client, API: apiName(r.key), Node: node, Number: number, End: r.end, TransactionalIDs: r.ids, Parts: r.parts}
}
