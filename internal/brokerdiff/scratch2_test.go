package brokerdiff
import ("testing";"time";"kcompare/internal/broker")
func TestTimes(t *testing.T) {
	e, err := broker.StartEmbedded(1)
	if err != nil { t.Fatal(err) }
	defer e.Close()
	r, _ := broker.NewReader(e.Addrs(), e.Access())
	b := time.Now()
	for _, s := range Situations() {
		n := time.Now()
		if _, err := s.ask(t.Context(), r, e.Addrs()[0]); err != nil { t.Fatal(err) }
		if d := time.Since(n); d > 60*time.Millisecond { t.Log(s.ID, d) }
	}
	t.Log(time.Since(b))
}
