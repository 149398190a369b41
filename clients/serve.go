package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"kcompare/drivers"
)

// Serve plays a program with any Go driver: it reads requests and writes answers and
// reports until shutdown, or the end of in, which is no error. What the driver's clients
// still do ends with the process, and main has nothing else to do:
//
//	func main() {
//		if err := clients.Serve(os.Stdin, os.Stdout, franz.New()); err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
func Serve(in io.Reader, out io.Writer, d drivers.Driver) error {
	s := &server{driver: d, clock: systemClock(), out: newOutbox(), clients: map[string]*served{}, groups: map[string]drivers.GroupMetadata{}}
	stop, written := make(chan struct{}), make(chan error, 1)
	go func() { written <- s.out.write(out, stop) }()
	err := s.read(in)
	for _, c := range s.clients {
		c.cancel()
		c.lines.end()
	}
	close(stop)
	return errors.Join(err, <-written)
}

// server is the program's side of the protocol.
type server struct {
	driver  drivers.Driver
	clock   clock // of bulks
	out     *outbox
	clients map[string]*served // by handle; only the reader has them

	mu     sync.Mutex
	groups map[string]drivers.GroupMetadata // by the consumer that told it
}

// incoming is a line of kcompare: a request, or a record.
type incoming struct {
	request
	from    drivers.Consumer // of process-many, nil where there is no such handle
	Record  int64            `json:"record"`
	Key     []byte           `json:"key"`
	Value   []byte           `json:"value"`
	Headers []header         `json:"headers"`
}

func (s *server) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostLine)
	for lines.Scan() {
		var line incoming
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		if line.Verb == "shutdown" {
			s.answer(line.ID, nil, nil)
			return nil
		}
		s.take(&line)
	}
	return lines.Err()
}

// take answers what belongs to the program, and lets clients do what belongs to them.
func (s *server) take(line *incoming) {
	c, made := s.clients[line.Handle]
	switch {
	case line.Handle == "":
		s.answerFor(line)
	case made && line.Verb == "close":
		c.cancel() // ends the call that waits, if there is one
		c.lines.put(line)
	case made:
		if from, has := s.clients[line.Consumer]; has {
			line.from = from.consumer
		}
		c.lines.put(line)
	default:
		s.answer(line.ID, nil, s.newClient(line))
	}
}

func (s *server) answerFor(line *incoming) {
	switch line.Verb {
	case "hello":
		s.answer(line.ID, s.hello(), nil)
	case "check":
		differences, err := s.driver.Differences(roleOf(line.Role), s.settings(line))
		s.answer(line.ID, map[string][]string{"differences": append([]string{}, differences...)}, err)
	default:
		s.answer(line.ID, nil, noSuchVerb(line.Verb))
	}
}

func noSuchVerb(verb string) error {
	return &drivers.Error{Call: verb, Class: drivers.Application, Code: "NO_SUCH_VERB", Text: "this program knows no such verb of such a handle"}
}

// answer writes the members of the verb, if there are any, beside the id and the error.
func (s *server) answer(id int64, members any, err error) {
	line := append([]byte(`{"id":`), strconv.FormatInt(id, 10)...)
	if err != nil {
		line = append(append(line, `,"error":`...), encode(failureOf(err))...)
	}
	if members != nil {
		if body := bytes.TrimPrefix(encode(members), []byte("{")); len(body) > len("}") {
			line = append(append(line, ','), bytes.TrimSuffix(body, []byte("}"))...)
		}
	}
	s.out.put(append(line, '}'))
}

// failureOf is an error as lines have it.
func failureOf(err error) *failure {
	var unknown *drivers.UnsupportedError
	var wrong *drivers.ConfigError
	var library *drivers.Error
	switch {
	case errors.As(err, &unknown):
		return &failure{Class: unsupported, Key: unknown.Key, Text: unknown.Reason}
	case errors.As(err, &wrong):
		return &failure{Class: wrongConfig, Keys: wrong.Keys, Text: wrong.Reason}
	case errors.As(err, &library):
		return &failure{Class: library.Class, Code: library.Code, Text: library.Text}
	}
	return &failure{Class: drivers.Application, Code: "ERROR", Text: err.Error()}
}

// hello says what the driver can do.
func (s *server) hello() hello {
	library, can := s.driver.Library(), s.driver.Abilities()
	h := hello{
		Protocol: protocol, Language: "Go " + strings.TrimPrefix(runtime.Version(), "go"),
		Library: library.Name, Version: library.Version, Via: library.Via, Abilities: []string{manyRecords, paced},
	}
	for _, a := range []struct {
		has  bool
		name string
	}{
		{can.Idempotence, idempotence}, {can.Transactions, transactions}, {can.Groups, groups},
		{can.Rebalances, rebalances}, {can.Store, store}, {can.PlainClose, plainClose}, {can.Transactions && can.Groups, manyTransact},
	} {
		if a.has {
			h.Abilities = append(h.Abilities, a.name)
		}
	}
	return h
}

func roleOf(name string) drivers.Role {
	for _, r := range []drivers.Role{drivers.RoleTransactionalProducer, drivers.RoleConsumer} {
		if roleName(r) == name {
			return r
		}
	}
	return drivers.RoleProducer
}

func (s *server) settings(line *incoming) drivers.Settings {
	return drivers.Settings{
		Config: line.Settings, OneRecordPerBatch: line.OneRecordPerBatch, Bare: line.Bare, GiveUpInFlight: line.GiveUpInFlight,
		Log: func(text string) { s.out.put(encode(said{Log: &text, Handle: line.Handle})) },
	}
}

// newClient makes a client, whose lines are handled by a goroutine of its own from now on.
func (s *server) newClient(line *incoming) error {
	c := &served{server: s, handle: line.Handle, lines: newQueue()}
	var err error
	switch line.Verb {
	case "new-producer":
		c.producer, err = s.driver.NewProducer(s.settings(line))
	case "new-transactional-producer":
		c.transactional, err = s.driver.NewTransactionalProducer(s.settings(line))
		c.producer = c.transactional
	case "new-consumer":
		c.consumer, err = s.driver.NewConsumer(s.settings(line))
	default:
		err = noSuchVerb(line.Verb)
	}
	if err != nil {
		return err
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	s.clients[line.Handle] = c
	go c.serve()
	return nil
}

// queue is the lines of a client that were not handled yet. Whoever puts one there does
// not wait.
type queue struct {
	mu    sync.Mutex
	lines []*incoming
	more  chan struct{} // has one element while something may be there
	over  chan struct{}
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1), over: make(chan struct{})} }

func (q *queue) put(line *incoming) {
	q.mu.Lock()
	q.lines = append(q.lines, line)
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

func (q *queue) end() { close(q.over) }

// take waits for lines; there are none at the end.
func (q *queue) take() []*incoming {
	for {
		if lines := q.takeNow(); lines != nil {
			return lines
		}
		select {
		case <-q.more:
		case <-q.over:
			return nil
		}
	}
}

func (q *queue) takeNow() []*incoming {
	q.mu.Lock()
	defer q.mu.Unlock()
	lines := q.lines
	q.lines = nil
	return lines
}
