package evidence

import "fmt"

// Uncounted is why a round does not count; empty where it does. What Void says is believed,
// and so is what was counted.
func (b Bench) Uncounted(r BenchRound) string {
	switch want := b.LoadOf(r.Contestant).Records; {
	case r.Void != "":
		return r.Void
	case r.Lost > 0:
		return fmt.Sprintf("lost %d of %d records", r.Lost, want)
	case r.Duplicates > 0:
		return fmt.Sprintf("doubled %d of %d records", r.Duplicates, want)
	case r.Records != want:
		return fmt.Sprintf("delivered %d of %d records", r.Records, want)
	case r.ElapsedUS <= 0:
		return "took no time"
	}
	return ""
}

// LoadOf is the load of a contestant's rounds: its own, or that of all.
func (b Bench) LoadOf(contestant string) BenchLoad {
	for _, c := range b.Contestants {
		if c.Name == contestant && c.Load != nil {
			return *c.Load
		}
	}
	return b.Load
}
