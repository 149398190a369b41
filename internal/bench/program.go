package bench

import (
	"context"
	"errors"

	"kcompare/drivers"
)

// Program plays with a client's program, in one process for all turns.
func Program(drivers.Program) func(context.Context) (Player, error) {
	return func(context.Context) (Player, error) { return nil, errors.New("not built yet") }
}
