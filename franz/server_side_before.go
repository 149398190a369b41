//go:build franz_before_1_22

package franz

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/config"
)

// serverSide is group.protocol before v1.22.0, which has no option for KIP-848.
func serverSide(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
	if equal(value, "consumer") {
		return nil, errors.New("franz-go has it from v1.22.0 on")
	}
	return nil, nil
}
