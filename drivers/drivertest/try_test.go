package drivertest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/memory"
)

// TestTry: what a library cannot express hides nothing else that is wrong.
func TestTry(t *testing.T) {
	refused := func(key, value string) error {
		return fmt.Errorf("make a producer: %w", &drivers.UnsupportedError{Client: "memory", Key: key, Value: value, Reason: "no such thing"})
	}
	wrong := errors.New("the log does not have it")
	type verdict struct{ unable, key, wrong string }
	const acks = "acks=0 cannot be expressed by memory: no such thing"
	for name, c := range map[string]struct {
		err  error
		want verdict
	}{
		"right":             {nil, verdict{}},
		"wrong":             {wrong, verdict{wrong: "the log does not have it"}},
		"refused":           {refused("acks", "0"), verdict{unable: acks, key: "acks"}},
		"refused twice":     {errors.Join(refused("acks", "0"), refused("acks", "0")), verdict{unable: acks, key: "acks"}},
		"refused and wrong": {errors.Join(refused("acks", "0"), wrong), verdict{wrong: "make a producer: " + acks + "\nthe log does not have it"}},
		"refused and has the ability": {refused("transactional.id", "t"), verdict{
			wrong: "it says that it has the ability, and refuses the setting: make a producer: transactional.id=t cannot be expressed by memory: no such thing"}},
		"only ever idempotent": {refused("enable.idempotence", "false"), verdict{
			unable: "enable.idempotence=false cannot be expressed by memory: no such thing", key: "enable.idempotence"}},
	} {
		check := drivertest.Check{Name: name, Run: func(context.Context, drivertest.Subject) error { return c.err }}
		r := check.Try(t.Context(), drivertest.Subject{Driver: memory.New(memory.Honest)})
		got := verdict{unable: r.Unable, key: r.Key}
		if r.Wrong != nil {
			got.wrong = r.Wrong.Error()
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(verdict{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
