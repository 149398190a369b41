package broker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"kcompare/internal/evidence"
)

// answerTime bounds what one bootstrap address is waited for.
const answerTime = 10 * time.Second

// External is a cluster that somebody else runs.
type External struct {
	info   evidence.Broker
	addrs  map[int32]string
	access Access
}

var _ Cluster = (*External)(nil)

// ConnectExternal asks one bootstrap address (host:port) after the other, until one tells
// which nodes the cluster has. Each has 10 s; the error says for each of them what was
// expected and what came instead. Nothing stays connected.
func ConnectExternal(ctx context.Context, bootstrap []string, access Access) (*External, error) {
	e := &External{access: access}
	err := anyOf(ctx, bootstrap, access, func(ctx context.Context, node *kgo.Broker) error {
		versions, err := apiVersions(ctx, node)
		if err != nil {
			return err
		}
		metadata, err := metadataRequest(nil).RequestWith(ctx, node)
		if err != nil {
			return err
		}
		e.addrs, err = nodeAddrs(metadata)
		e.info = evidence.Broker{Kind: "external", Software: guess(versions), Nodes: len(e.addrs)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// FindExternal does the same without a login, and so learns only that a broker is
// there: whoever stands between it and clients leaves the login to them.
//
// kgo asks for the API versions by itself before it sends what it is asked to. Where a
// login has to come next, Kafka answers the first ApiVersions and hangs up on the
// second (SaslServerAuthenticator), so it is the first answer that counts.
func FindExternal(ctx context.Context, bootstrap []string, access Access) error {
	access.SASL = nil
	heard := &anyAnswer{}
	return anyOf(ctx, bootstrap, access, func(ctx context.Context, node *kgo.Broker) error {
		if _, err := apiVersions(ctx, node); !heard.Load() {
			return err
		}
		return nil
	}, kgo.WithHooks(heard))
}

// anyAnswer becomes true with the first answer of a broker.
type anyAnswer struct{ atomic.Bool }

var _ kgo.HookBrokerRead = (*anyAnswer)(nil)

// OnBrokerRead is called by kgo.
func (a *anyAnswer) OnBrokerRead(_ kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	if err == nil {
		a.Store(true)
	}
}

// anyOf connects to one bootstrap address after the other until do has no error.
func anyOf(ctx context.Context, bootstrap []string, access Access, do func(context.Context, *kgo.Broker) error, more ...kgo.Opt) error {
	var errs []error
	for _, addr := range bootstrap {
		err := at(ctx, addr, access, do, more)
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", addr, err))
	}
	return fmt.Errorf("connect to the cluster: %w", joined(errs))
}

func at(ctx context.Context, addr string, access Access, do func(context.Context, *kgo.Broker) error, more []kgo.Opt) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, fmt.Errorf("no answer within %v", answerTime))
	defer cancel()
	r, err := newReader(map[int32]string{-1: addr}, access, &peers{}, more...) // kgo gives seeds negative ids, too
	if err != nil {
		return err
	}
	defer r.Close()
	if err := do(ctx, r.client.SeedBrokers()[0]); err != nil {
		return access.explain(ctx, err)
	}
	return nil
}

func apiVersions(ctx context.Context, node *kgo.Broker) (*kmsg.ApiVersionsResponse, error) {
	ask := kmsg.NewPtrApiVersionsRequest()
	ask.ClientSoftwareName, ask.ClientSoftwareVersion = ReaderClientID, "1" // Kafka refuses to answer without
	versions, err := ask.RequestWith(ctx, node)
	if err != nil {
		return nil, err
	}
	return versions, kerr.ErrorForCode(versions.ErrorCode)
}

// nodeAddrs is where each node says that it listens.
func nodeAddrs(resp *kmsg.MetadataResponse) (map[int32]string, error) {
	addrs := map[int32]string{}
	for _, b := range resp.Brokers {
		if ip := net.ParseIP(b.Host); b.Host == "" || ip != nil && ip.IsUnspecified() {
			return nil, fmt.Errorf("node %d says that it listens on %q, which nobody can connect to: set advertised.listeners there", b.NodeID, b.Host)
		}
		addrs[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	if len(addrs) == 0 {
		return nil, errors.New("expected the nodes of the cluster, it named none")
	}
	return addrs, nil
}

// guess is what the versions of its APIs tell of a broker. No request asks for more.
// Those of brokers that are not Apache's are often of no release: kfake would pass for
// one "between v1.0 and v1.1".
func guess(resp *kmsg.ApiVersionsResponse) string {
	release := kversion.FromApiVersionsResponse(resp).VersionGuess() // "v4.4", "at least v4.4", "between ...", "unknown ..."
	number, atLeast := strings.CutPrefix(release, "at least ")
	number, exact := strings.CutPrefix(number, "v")
	switch {
	case !exact:
		return "unknown, its API versions are those of no release of Kafka"
	case atLeast:
		return "Kafka " + number + " or later, guessed from its API versions"
	}
	return "Kafka " + number + ", guessed from its API versions"
}

// Info says what was found out. It names no host.
func (e *External) Info() evidence.Broker { return e.info }

// Addrs has the nodes as the cluster told them when it was found. A reader and a proxy
// follow what it tells later.
func (e *External) Addrs() map[int32]string { return maps.Clone(e.addrs) }

// Access is what ConnectExternal was given.
func (e *External) Access() Access { return e.access }

// Close does nothing: the cluster is not ours.
func (e *External) Close() error { return nil }
