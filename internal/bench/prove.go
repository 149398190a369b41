package bench

import (
	"context"
	"errors"

	"kcompare/internal/evidence"
)

// prove plays short turns through the proxy and says which settings the wire showed.
func prove(context.Context, Options, Contestant, Player) (evidence.BenchSeen, error) {
	return evidence.BenchSeen{}, errors.New("not built yet")
}
