package batch

// Visitor gets what Visit reads, in the order of the log. An error of either method
// ends the visit and is returned as it is.
type Visitor interface {
	// Batch comes before the records of the batch. Control is evidence.Commit or
	// evidence.Abort for a marker, which has no records, and empty for data.
	Batch(h Header, control string) error

	// Record is one record of data. Key and value are good until it returns; an empty
	// one and none are alike.
	Record(offset int64, key, value []byte) error
}

// Visit reads whole batches as Parse does, without the identities of scenarios: it is
// for those who know records by something else, and have many. It returns how many
// bytes the batches took. Checksums are verified.
func (p *Parser) Visit(raw []byte, v Visitor) (int, error) {
	return whole(raw, func(h Header, raw []byte) error { return p.visit(h, raw, v) })
}

func (p *Parser) visit(h Header, raw []byte, v Visitor) error {
	plain, err := p.open(h, raw)
	if err != nil {
		return err
	}
	if h.Control() {
		name, err := control(h, plain)
		if err != nil {
			return err
		}
		return told(v.Batch(h, name))
	}
	if err := v.Batch(h, ""); err != nil {
		return told(err)
	}
	w := newWalk(h, plain)
	for w.next() {
		if err := v.Record(h.BaseOffset+w.delta, w.key, w.value); err != nil {
			return told(err)
		}
	}
	return w.err
}
