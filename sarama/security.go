package sarama

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/sasl"

	"kcompare/internal/config"
	"kcompare/internal/security"
)

// withSecurity is for the settings that only say how security.protocol is done.
// Without it they have no effect, in librdkafka as here.
var withSecurity apply = none

// secured makes TLS and SASL out of all the settings for them.
func secured(c *sarama.Config, _ string, g given, _ config.Role) error {
	tls, err := security.TLS(g)
	if err != nil {
		return err
	}
	c.Net.TLS.Enable, c.Net.TLS.Config = tls != nil, tls
	mechanism, err := security.Mechanism(client, g, time.Now)
	if err != nil || mechanism == nil {
		return err
	}
	login := &c.Net.SASL
	login.Enable, login.Mechanism = true, sarama.SASLMechanism(mechanism.Name())
	login.User, login.Password = g["sasl.username"], g["sasl.password"]
	login.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient { return &conversation{mechanism: mechanism} }
	login.TokenProvider = tokens{mechanism}
	return nil
}

// conversation is one login by SCRAM, which sarama leaves to the program.
type conversation struct {
	mechanism sasl.Mechanism
	session   sasl.Session // nil before the first step
	done      bool
}

// Begin has nothing to do: the mechanism knows who logs in.
func (c *conversation) Begin(string, string, string) error {
	c.session, c.done = nil, false
	return nil
}

// Step answers what the broker said; before that it says something itself.
func (c *conversation) Step(challenge string) (string, error) {
	var answer []byte
	var err error
	if c.session == nil {
		c.session, answer, err = c.mechanism.Authenticate(context.Background(), "")
	} else {
		c.done, answer, err = c.session.Challenge([]byte(challenge))
	}
	return string(answer), err
}

func (c *conversation) Done() bool { return c.done }

// tokens takes the token out of what the mechanism would send (RFC 7628, section 3.1):
// n,, then auth=Bearer TOKEN and NAME=VALUE, each between bytes of value 1.
type tokens struct{ mechanism sasl.Mechanism }

func (t tokens) Token() (*sarama.AccessToken, error) {
	_, said, err := t.mechanism.Authenticate(context.Background(), "")
	if err != nil {
		return nil, err
	}
	token := &sarama.AccessToken{Extensions: map[string]string{}}
	for _, pair := range bytes.Split(said, []byte{1}) {
		name, value, is := strings.Cut(string(pair), "=")
		if bearer, found := strings.CutPrefix(value, "Bearer "); name == "auth" && found {
			token.Token = bearer
		} else if is {
			token.Extensions[name] = value
		}
	}
	if token.Token == "" {
		return nil, errors.New("expected a token in the first message of OAUTHBEARER")
	}
	return token, nil
}
