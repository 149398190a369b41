package proxy

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

// This file finds the transactional ids that a request names.

// transactionalIDs are those of a request, empty for one that has none. It has to
// know every API of namesTransactionalID.
func transactionalIDs(message kmsg.Request) []string {
	switch m := message.(type) {
	case *kmsg.ProduceRequest:
		return []string{deref(m.TransactionID)}
	case *kmsg.FindCoordinatorRequest:
		if m.CoordinatorType == TransactionCoordinator {
			return append([]string{m.CoordinatorKey}, m.CoordinatorKeys...) // a list since v4 (KIP-699), one before
		}
	case *kmsg.InitProducerIDRequest:
		return []string{deref(m.TransactionalID)}
	case *kmsg.AddPartitionsToTxnRequest:
		return addingIDs(m)
	case *kmsg.AddOffsetsToTxnRequest:
		return []string{m.TransactionalID}
	case *kmsg.TxnOffsetCommitRequest:
		return []string{m.TransactionalID}
	case *kmsg.EndTxnRequest:
		return []string{m.TransactionalID}
	}
	return nil
}

// addingIDs: see addingProducers.
func addingIDs(m *kmsg.AddPartitionsToTxnRequest) []string {
	if m.Version < 4 {
		return []string{m.TransactionalID}
	}
	var all []string
	for _, t := range m.Transactions {
		all = append(all, t.TransactionalID)
	}
	return all
}

// known turns ids into what rules call them, and leaves out those that no rule is
// about.
func (p *Proxy) known(ids []string) []string {
	var names []string
	for _, id := range ids {
		if name := p.opts.TransactionalIDs[id]; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// first is the first of some ids, "" of none.
func first(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}
