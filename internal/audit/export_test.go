package audit

// Exceptions is how many sends have an entry of their own.
func (a *Auditor) Exceptions() int { return a.copies.exceptions.count }
