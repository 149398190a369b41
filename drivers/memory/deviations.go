package memory

import (
	"maps"
	"slices"
	"time"

	"kcompare/drivers"
)

// deviations says of each lie where its conduct differs from an honest one: in
// one place.
func deviations() map[Lie]func(*conduct) {
	all := producerLies()
	maps.Copy(all, transactionLies())
	maps.Copy(all, consumerLies())
	maps.Copy(all, driverLies())
	return all
}

// third picks the records that a lie is told of.
func third(n int) bool { return n%3 == 0 }

// long is what a lie makes a call wait.
const long = time.Minute

func producerLies() map[Lie]func(*conduct) {
	return map[Lie]func(*conduct){
		LoseAcked:       copied(0),
		DuplicateRecord: copied(2),
		Reorder: func(c *conduct) {
			c.reordered = func(batch []*handed) {
				if len(batch) > 1 {
					batch[0], batch[1] = batch[1], batch[0]
				}
			}
		},
		SharedBatches: func(c *conduct) { c.ownBatch = func(bool) bool { return false } },

		CorruptValue: altered(func(r *drivers.Record) { r.Value = append(slices.Clone(r.Value), '!') }),
		DropHeader:   altered(func(r *drivers.Record) { r.Headers = nil }),
		Misplace:     altered(func(r *drivers.Record) { r.Partition = max(r.Partition-1, 0) }),
		EmptyForNil: func(c *conduct) {
			c.written = func(_ int, r drivers.Record) drivers.Record {
				r.Key = append([]byte{}, r.Key...)
				return r
			}
		},

		WrongOffset:    misreported(func(d *drivers.Delivery) { d.Offset++ }),
		WrongPartition: misreported(func(d *drivers.Delivery) { d.Partition++ }),
		FailWritten: misreported(func(d *drivers.Delivery) {
			d.Outcome, d.Err = drivers.Failed, failure("produce", drivers.Retriable, "TIMED_OUT", "the broker did not answer")
		}),
		ReportTwice: reported(2),
		NeverReport: reported(0),
		AckFailed:   misfailed(func(d *drivers.Delivery) { d.Outcome, d.Err = drivers.Acked, nil }),
		NoClass:     misfailed(func(d *drivers.Delivery) { d.Err.Class = "" }),

		FlushTooEarly: func(c *conduct) { c.flushes = false },
		DeafFlush:     func(c *conduct) { c.flushStays = long },
		Miscount:      func(c *conduct) { c.counted = func(sent int) int { return sent + 1 } },
		BlockingClose: func(c *conduct) { c.closeStays = long },
	}
}

// copied writes every third record so many times.
func copied(times int) func(*conduct) {
	return func(c *conduct) {
		c.copies = func(n int) int {
			if third(n) {
				return times
			}
			return 1
		}
	}
}

// altered writes something else than every third record.
func altered(lie func(*drivers.Record)) func(*conduct) {
	return func(c *conduct) {
		c.written = func(n int, r drivers.Record) drivers.Record {
			if third(n) {
				lie(&r)
			}
			return r
		}
	}
}

// reported says of every third record so many times that it was written.
func reported(times int) func(*conduct) {
	return func(c *conduct) {
		c.reports = func(n int, d drivers.Delivery) []drivers.Delivery {
			if third(n) && d.Outcome == drivers.Acked {
				return slices.Repeat([]drivers.Delivery{d}, times)
			}
			return []drivers.Delivery{d}
		}
	}
}

// misreported says something else of every third record that was written.
func misreported(lie func(*drivers.Delivery)) func(*conduct) {
	return func(c *conduct) {
		c.reports = func(n int, d drivers.Delivery) []drivers.Delivery {
			if third(n) && d.Outcome == drivers.Acked {
				lie(&d)
			}
			return []drivers.Delivery{d}
		}
	}
}

// misfailed says something else of every record that was not written.
func misfailed(lie func(*drivers.Delivery)) func(*conduct) {
	return func(c *conduct) {
		c.reports = func(_ int, d drivers.Delivery) []drivers.Delivery {
			if d.Outcome == drivers.Failed {
				lie(&d)
			}
			return []drivers.Delivery{d}
		}
	}
}

func transactionLies() map[Lie]func(*conduct) {
	return map[Lie]func(*conduct){
		LeakAborted: func(c *conduct) { c.fate = func(bool, int) State { return Visible } },
		LeakOpen:    func(c *conduct) { c.enters = Visible },
		TearTransaction: func(c *conduct) {
			c.fate = func(commit bool, i int) State {
				if commit && i%2 == 0 {
					return Visible
				}
				return Aborted
			}
		},
		CommitLies: func(c *conduct) { c.fate = func(bool, int) State { return Aborted } },
		UnknownAsAborted: func(c *conduct) {
			c.ended = func(o drivers.TransactionOutcome, err error) (drivers.TransactionOutcome, error) {
				if o == drivers.TransactionUnknown {
					o = drivers.Aborted
				}
				return o, err
			}
		},
		CommittedAlways: func(c *conduct) {
			c.ended = func(drivers.TransactionOutcome, error) (drivers.TransactionOutcome, error) {
				return drivers.Committed, nil
			}
		},
		CommitTooEarly: func(c *conduct) { c.commitFlushes = false },
		ForgetOffsets:  func(c *conduct) { c.storesOffsets = func(bool) bool { return false } },
		OffsetsDespite: func(c *conduct) { c.storesOffsets = func(bool) bool { return true } },
		NoFencing:      func(c *conduct) { c.fences = false },
	}
}

func consumerLies() map[Lie]func(*conduct) {
	return map[Lie]func(*conduct){
		SkipRecord:   polled(0),
		RepeatRecord: polled(2),
		ShufflePoll:  func(c *conduct) { c.shuffled = func(r []drivers.Record) { slices.Reverse(r) } },
		PollError:    func(c *conduct) { c.pollEnds = func(err error) error { return err } },
		DeafPoll:     func(c *conduct) { c.pollStays = long },
		StartAtZero:  func(c *conduct) { c.starts = func(int64) int64 { return 0 } },
		SeekIgnored:  func(c *conduct) { c.seeks = false },
		PositionOff:  func(c *conduct) { c.position = func(next int64) int64 { return next - 1 } },
		IsolationOff: func(c *conduct) { c.committedOnly = func(bool) bool { return false } },
		CommitOff:    func(c *conduct) { c.stores = func(offset int64) int64 { return offset - 1 } },
		WrongCommitted: func(c *conduct) {
			c.committed = func(offset int64, stored bool) (int64, bool) { return offset + 1, stored }
		},
		InventCommitted: func(c *conduct) {
			c.committed = func(offset int64, _ bool) (int64, bool) { return offset, true }
		},
		CommittedEarly: func(c *conduct) { c.waitsStable = false },
		DeafClose:      func(c *conduct) { c.closeEndsPoll = false },
		CommitUnasked:  func(c *conduct) { c.closeCommits = true },
		StayInGroup:    func(c *conduct) { c.closeLeaves = false },
		WrongGroup:     func(c *conduct) { c.group = func(string) string { return "" } },
		HideRebalance:  func(c *conduct) { c.tells = false },
		StoreOff:       func(c *conduct) { c.keeps = func(offset int64) int64 { return offset - 1 } },
	}
}

// polled returns every third record so many times.
func polled(times int) func(*conduct) {
	return func(c *conduct) {
		c.polled = func(n int, r drivers.Record) []drivers.Record {
			if third(n) {
				return slices.Repeat([]drivers.Record{r}, times)
			}
			return []drivers.Record{r}
		}
	}
}

func driverLies() map[Lie]func(*conduct) {
	return map[Lie]func(*conduct){
		AcceptUnknown: func(c *conduct) { c.knows = func(string) bool { return true } },
		DenyAbility:   func(c *conduct) { c.idempotence = false },
		InventAbility: func(c *conduct) { c.raw = true },
		NoVersion:     func(c *conduct) { c.version = "" },
		UnsortedDifferences: func(c *conduct) {
			c.differences = func(d []string) {
				slices.Sort(d)
				slices.Reverse(d)
			}
		},
	}
}
