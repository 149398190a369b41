package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// A door stands where a broker would, and lets nobody in. It is for what a client does
// before it is served: how it greets, how long it waits there, when it comes again.
// It answers ApiVersions, so that it learns what the client does next.
type door struct {
	listener net.Listener
	shut     bool // connections are reset at once
	elapsed  func() time.Duration
	visited  signal
	owned    sync.WaitGroup

	mu     sync.Mutex
	visits []visit // in the order of coming
	conns  []net.Conn
}

// visit is one connection.
type visit struct {
	at, left  time.Duration // left is 0 while the client is there
	tls       bool          // it began with a TLS handshake
	next      string        // the API that it asked for after ApiVersions; "" so far
	mechanism string        // of SaslHandshake
}

func openDoor(shut bool, elapsed func() time.Duration) (*door, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{listener: l, shut: shut, elapsed: elapsed}
	d.owned.Go(d.answer)
	return d, nil
}

func (d *door) close() error {
	err := d.listener.Close()
	d.mu.Lock()
	for _, c := range d.conns {
		_ = c.Close() // the client learns that it is over
	}
	d.mu.Unlock()
	d.owned.Wait()
	return err
}

// answer takes connections until the door is closed.
func (d *door) answer() {
	for {
		c, err := d.listener.Accept()
		if err != nil {
			return
		}
		n := d.note(c)
		if d.shut {
			_ = c.(*net.TCPConn).SetLinger(0) // a reset, like that of a port where nobody listens
			_ = c.Close()
			continue
		}
		d.owned.Go(func() {
			d.hear(n, c)
			_, _ = io.Copy(io.Discard, c) // until the client hangs up
			d.change(n, func(v *visit) { v.left = d.elapsed() })
			_ = c.Close()
		})
	}
}

func (d *door) note(c net.Conn) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns, d.visits = append(d.conns, c), append(d.visits, visit{at: d.elapsed()})
	d.visited.send()
	return len(d.visits) - 1
}

func (d *door) change(n int, change func(*visit)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.visits[n])
	d.visited.send()
}

// all is a copy of the visits so far.
func (d *door) all() []visit {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]visit(nil), d.visits...)
}

// await waits until the visits meet a condition.
func (d *door) await(ctx context.Context, what string, meets func([]visit) bool) error {
	return d.visited.await(ctx, what, func() bool { return meets(d.all()) })
}

// handshakeRecord is the first byte of a TLS connection (RFC 8446, 5.1). As the first
// of a Kafka request it would be one of 350 MB.
const handshakeRecord = 0x16

// longestGreeting bounds what is read of a request here.
const longestGreeting = 1 << 16

// hear reads what a client says first, and after the answer to ApiVersions.
func (d *door) hear(n int, c net.Conn) {
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		if head[0] == handshakeRecord {
			d.change(n, func(v *visit) { v.tls = true })
			return
		}
		size := binary.BigEndian.Uint32(head)
		if size < 8 || size > longestGreeting {
			return
		}
		request := make([]byte, size)
		if _, err := io.ReadFull(c, request); err != nil {
			return
		}
		if key := int16(binary.BigEndian.Uint16(request)); key != int16(kmsg.ApiVersions) {
			d.change(n, func(v *visit) { v.next, v.mechanism = kmsg.NameForKey(key), mechanismOf(key, request) })
			return
		}
		if _, err := c.Write(versionsFor(request)); err != nil {
			return
		}
	}
}

// mechanismOf is that of a SaslHandshake: a request header of version 1 has a client id
// behind its first eight bytes.
func mechanismOf(key int16, request []byte) string {
	if key != int16(kmsg.SASLHandshake) || len(request) < 10 {
		return ""
	}
	id := max(int(int16(binary.BigEndian.Uint16(request[8:]))), 0)
	var handshake kmsg.SASLHandshakeRequest
	if len(request) < 10+id || handshake.ReadFrom(request[10+id:]) != nil {
		return ""
	}
	return handshake.Mechanism
}

// versionsFor answers ApiVersions with what a login needs, and what clients ask for
// first; kgo gives up without a word what is not in the list. A version that kmsg does
// not know is answered as an older broker does (KIP-511).
func versionsFor(request []byte) []byte {
	answer := kmsg.NewPtrApiVersionsResponse()
	version := int16(binary.BigEndian.Uint16(request[2:]))
	if version > answer.MaxVersion() {
		version, answer.ErrorCode = 0, 35 // UNSUPPORTED_VERSION
	}
	answer.SetVersion(version)
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.FindCoordinator, kmsg.InitProducerID, kmsg.SASLHandshake, kmsg.ApiVersions, kmsg.SASLAuthenticate} {
		own := kmsg.NewApiVersionsResponseApiKey()
		own.ApiKey, own.MaxVersion = key.Int16(), kmsg.RequestForKey(key.Int16()).MaxVersion()
		answer.ApiKeys = append(answer.ApiKeys, own)
	}
	frame := append(make([]byte, 4), request[4:8]...) // its size, and the correlation id
	frame = answer.AppendTo(frame)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// knock has a client of the stand's settings come to the door.
func (s *Stand) knock(ctx context.Context, role config.Role, d *door, enough func(context.Context) error) error {
	settings := bare(s.Settings, d.listener.Addr().String())
	if role == config.Consumer {
		return s.knockConsumer(ctx, settings, enough)
	}
	trying, stop := context.WithCancel(ctx)
	defer stop()
	p, try, err := s.knocker(settings)
	if err != nil {
		return s.unmade(err)
	}
	var tried sync.WaitGroup
	tried.Go(func() { try(trying) })
	err = enough(ctx)
	stop()
	tried.Wait()
	return errors.Join(err, closed(p.Close()))
}

// knocker is a producer, and what makes it connect.
func (s *Stand) knocker(settings drivers.Settings) (drivers.Producer, func(context.Context), error) {
	if s.Settings.Transactional() {
		p, err := s.candidate.Driver.NewTransactionalProducer(settings)
		if err != nil {
			return nil, nil, err
		}
		return p, func(ctx context.Context) { _ = p.Init(ctx) }, nil // nobody is there to give an id
	}
	p, err := s.candidate.Driver.NewProducer(settings)
	if err != nil {
		return nil, nil, err
	}
	return p, func(ctx context.Context) {
		p.Produce(ctx, drivers.Record{Topic: readTopic, Partition: drivers.AnyPartition, Value: []byte("a")}, func(drivers.Delivery) {})
	}, nil
}

// knockConsumer polls, whatever polls say: that nobody lets it in is the point.
func (s *Stand) knockConsumer(ctx context.Context, settings drivers.Settings, enough func(context.Context) error) error {
	c, err := s.candidate.Driver.NewConsumer(settings)
	if err != nil {
		return s.unmade(err)
	}
	if err := c.Assign(ctx, []drivers.Position{{TopicPartition: firstPartition, Offset: drivers.OffsetStart}}); err != nil {
		return errors.Join(err, closed(c.Close()))
	}
	err = enough(ctx)
	return errors.Join(err, closed(c.Close()))
}

// unmade notes that the library does not take the settings of TLS and logins, which
// nobody has tried before.
func (s *Stand) unmade(err error) error {
	for _, name := range []string{"greeting", "mechanism", "kept"} {
		s.Note(name, unseen("the client cannot be made: %v", err))
	}
	return nil
}

// greeted is the experiment about how a client begins: in plaintext or TLS, and with
// which login.
func greeted(role config.Role) Experiment {
	return Experiment{
		Name: "greeted", Roles: []config.Role{role}, Security: true,
		About: "a client meets a broker that answers nothing but ApiVersions",
		Play: func(ctx context.Context, s *Stand) error {
			return s.atDoor(ctx, role, false, func(ctx context.Context, d *door) error {
				if err := d.await(ctx, "a client's greeting", hasGreeted); err != nil {
					return err
				}
				s.noteGreeting(d.all())
				return nil
			})
		},
		Sights: []Sight{
			{Key: "security.protocol", See: noted("greeting")},
			{Key: "sasl.mechanism", See: noted("mechanism")},
		},
	}
}

// atDoor plays with a door in the place of the broker. Where a library does not take
// the settings, that is all there is to see.
func (s *Stand) atDoor(ctx context.Context, role config.Role, shut bool, play func(context.Context, *door) error) error {
	d, err := openDoor(shut, s.Elapsed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, settingUp+s.patience())
	defer cancel()
	err = s.knock(ctx, role, d, func(ctx context.Context) error { return play(ctx, d) })
	return errors.Join(err, d.close())
}

// patience is for what a client is to wait for at a door.
func (s *Stand) patience() time.Duration {
	return 2*s.Settings.Millis("socket.connection.setup.timeout.ms", 0) + 4*s.Settings.Millis("reconnect.backoff.max.ms", 0)
}

func hasGreeted(visits []visit) bool {
	for _, v := range visits {
		if v.tls || v.next != "" {
			return true
		}
	}
	return false
}

// noteGreeting: what stands behind a TLS handshake is only for a broker with a
// certificate that the client trusts.
func (s *Stand) noteGreeting(visits []visit) {
	for _, v := range visits {
		switch {
		case v.tls:
			s.Note("greeting", saw("a TLS handshake comes first"))
			s.Note("mechanism", unseen("it stands inside TLS, and the broker of this run has no certificate that the client trusts"))
		case v.mechanism != "":
			s.Note("greeting", saw("plaintext, and SaslHandshake"))
			s.Note("mechanism", saw("SaslHandshake mechanism="+v.mechanism))
		case v.next != "":
			s.Note("greeting", saw("plaintext, without a login"))
			s.Note("mechanism", saw("no SaslHandshake"))
		default:
			continue
		}
		return
	}
}

// kept is the experiment about a connection that is there, and whose TLS handshake
// nobody answers. In plaintext a connection on one machine needs no time.
func kept(role config.Role) Experiment {
	return Experiment{
		Name: "kept waiting", Roles: []config.Role{role}, Security: true,
		About: "nobody answers the TLS handshake of a client",
		Takes: func(s Settings) time.Duration {
			return s.Millis("socket.connection.setup.timeout.ms", 30*time.Second)
		},
		Wants: func(s Settings) string {
			if !strings.HasSuffix(strings.ToLower(s["security.protocol"]), "ssl") {
				return "a connection on one machine needs no time without TLS"
			}
			return ""
		},
		Play: func(ctx context.Context, s *Stand) error {
			return s.atDoor(ctx, role, false, func(ctx context.Context, d *door) error {
				if err := d.await(ctx, "a client that gives up", func(visits []visit) bool { return len(visits) > 0 && visits[0].left > 0 }); err != nil {
					return err
				}
				first := d.all()[0]
				s.Note("kept", lasted(first.left-first.at))
				return nil
			})
		},
		Sights: []Sight{{Key: "socket.connection.setup.timeout.ms", Timed: true, See: noted("kept"), Alike: near(0.1, 300)}},
	}
}

// unwelcome is the experiment about when a client comes again that was sent away.
func unwelcome(role config.Role) Experiment {
	takes := func(s Settings) time.Duration {
		return 2 * max(s.Millis("reconnect.backoff.ms", 100*time.Millisecond), min(s.Millis("reconnect.backoff.max.ms", 10*time.Second), time.Second))
	}
	return Experiment{
		Name: "unwelcome", Roles: []config.Role{role},
		About: "every connection of a client is reset at once",
		Takes: takes,
		Play: func(ctx context.Context, s *Stand) error {
			return s.atDoor(ctx, role, true, func(ctx context.Context, d *door) error {
				if err := s.Pause(ctx, 2*takes(s.Settings)+500*time.Millisecond); err != nil {
					return err
				}
				s.noteReturns(d.all())
				return nil
			})
		},
		Sights: []Sight{
			{Key: "reconnect.backoff.ms", Timed: true, See: noted("first return"), Alike: near(0.3, 50)},
			{Key: "reconnect.backoff.max.ms", Timed: true, See: noted("longest wait"), Alike: near(0.3, 50)},
		},
	}
}

// burst: kgo comes six times at once before it waits.
const burst = 40 * time.Millisecond

func (s *Stand) noteReturns(visits []visit) {
	var waits []time.Duration
	for i := 1; i < len(visits); i++ {
		if wait := visits[i].at - visits[i-1].at; wait > burst {
			waits = append(waits, wait)
		}
	}
	if len(waits) == 0 {
		none := unseen("the client came %d times within %v, and not again", len(visits), burst)
		s.Note("first return", none)
		s.Note("longest wait", none)
		return
	}
	longest := waits[0]
	for _, w := range waits {
		longest = max(longest, w)
	}
	s.Note("first return", lasted(waits[0]))
	s.Note("longest wait", labelled(fmt.Sprintf("waits of up to %s", lasted(longest).Text), longest))
}

func labelled(text string, d time.Duration) Observation {
	return Observation{Text: text, Number: lasted(d).Number}
}
