//go:build !cgo

package librdkafka

import (
	"errors"

	"kcompare/drivers"
)

// New says what is missing: the library is C code. main lists the client with
// this error as not built in.
func New() (drivers.Driver, error) {
	return nil, errors.New("librdkafka is a C library: install a C compiler (gcc or clang) and build with CGO_ENABLED=1")
}
