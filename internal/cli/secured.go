package cli

import (
	"fmt"

	"kcompare/internal/broker"
	"kcompare/internal/security"
)

// entrance is what --command-config says: how to get into a cluster. The zero value
// is plaintext without a login.
type entrance struct {
	client map[string]string // for client libraries, by canonical name; it has secrets in it
	access broker.Access     // for kcompare itself
}

// entrance reads the file, if there is one, and says on stderr what of it has no
// effect.
func (s *State) entrance(file string) (entrance, error) {
	if file == "" {
		return entrance{}, nil
	}
	read, err := security.ReadFile(file)
	if err != nil {
		return entrance{}, usagef("--command-config: %w", err)
	}
	for _, ignored := range read.Ignored {
		fmt.Fprintf(s.Stderr, "kcompare: %s\n", ignored)
	}
	e := entrance{client: read.Client}
	if e.access.TLS, err = security.TLS(read.Client); err != nil {
		return entrance{}, usagef("--command-config=%s: %w", file, err)
	}
	if e.access.SASL, err = security.Mechanism("kcompare", read.Client, s.Now); err != nil {
		return entrance{}, usagef("--command-config=%s: %w", file, err)
	}
	return e, nil
}
