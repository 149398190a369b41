package franz

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/config"
	"kcompare/internal/security"
)

// withSecurity is for the settings that only say how security.protocol is done.
// Without it they have no effect, in librdkafka as here.
var withSecurity translator = none

// secured makes TLS and SASL out of all the settings for them.
func secured(_ string, g given, _ config.Role) ([]kgo.Opt, error) {
	var opts []kgo.Opt
	c, err := security.TLS(g)
	if err != nil {
		return nil, err
	}
	if c != nil {
		opts = append(opts, kgo.DialTLSConfig(c))
	}
	m, err := security.Mechanism(client, g, time.Now)
	if err != nil {
		return nil, err
	}
	if m != nil {
		opts = append(opts, kgo.SASL(m))
	}
	return opts, nil
}
