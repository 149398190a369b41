//go:build linux

package overhead

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// StartSink starts this test binary again as the sink, in a process of its own so that
// what it costs is not the client's, and returns its address. It ends with its stdin.
func StartSink(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), role+"=sink"), os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the sink: %v", err)
		}
	})
	addr, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatalf("the sink says no address: %v", err)
	}
	return strings.TrimSpace(addr)
}

// serveSink answers as a broker with one node does that leads every partition of every
// topic, and keeps nothing. It says its address first.
func serveSink() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &sink{port: int32(l.Addr().(*net.TCPAddr).Port)}
	fmt.Println(l.Addr())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err // what is still open ends with the process
}

type sink struct{ port int32 }

// versions are the requests that the sink knows, up to which version. Produce 9 is the
// last one that all three libraries send.
func versions() map[int16]int16 {
	return map[int16]int16{0: 9, 3: 9, 18: 3, 22: 4}
}

func (s *sink) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	from := bufio.NewReaderSize(conn, 256<<10)
	next := map[string]int64{} // offset, by topic and partition
	var frame []byte
	for {
		var size [4]byte
		if _, err := io.ReadFull(from, size[:]); err != nil {
			return
		}
		n := int(binary.BigEndian.Uint32(size[:]))
		if cap(frame) < n {
			frame = make([]byte, n)
		}
		frame = frame[:n]
		if _, err := io.ReadFull(from, frame); err != nil {
			return
		}
		answer, err := s.answer(frame, next)
		if err != nil {
			fmt.Fprintln(os.Stderr, "the sink:", err)
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// answer decodes a request without its records, and encodes what is said to it.
func (s *sink) answer(frame []byte, next map[string]int64) ([]byte, error) {
	key, version := int16(binary.BigEndian.Uint16(frame)), int16(binary.BigEndian.Uint16(frame[2:]))
	if _, known := versions()[key]; !known {
		return nil, fmt.Errorf("expected a request of a producer, got %s", kmsg.NameForKey(key))
	}
	req := kmsg.RequestForKey(key)
	req.SetVersion(min(version, versions()[key]))
	body := frame[10+max(0, int(int16(binary.BigEndian.Uint16(frame[8:])))):]
	if req.IsFlexible() {
		body = body[1:] // no tags in a header of these clients
	}
	resp := req.ResponseKind()
	if key == 18 && version > versions()[key] { // KIP-511
		resp.SetVersion(0)
		resp.(*kmsg.ApiVersionsResponse).ErrorCode = 35
	} else if err := req.ReadFrom(body); err != nil {
		return nil, fmt.Errorf("read %s v%d: %w", kmsg.NameForKey(key), version, err)
	}
	s.fill(req, resp, next)
	answer := append([]byte{0, 0, 0, 0}, frame[4:8]...)
	if req.IsFlexible() && key != 18 {
		answer = append(answer, 0)
	}
	answer = resp.AppendTo(answer)
	binary.BigEndian.PutUint32(answer, uint32(len(answer)-4))
	return answer, nil
}

func (s *sink) fill(req kmsg.Request, resp kmsg.Response, next map[string]int64) {
	switch r := resp.(type) {
	case *kmsg.ApiVersionsResponse:
		for key, most := range versions() {
			v := kmsg.NewApiVersionsResponseApiKey()
			v.ApiKey, v.MaxVersion = key, most
			r.ApiKeys = append(r.ApiKeys, v)
		}
	case *kmsg.InitProducerIDResponse:
		r.ProducerID = 7
	case *kmsg.MetadataResponse:
		s.metadata(req.(*kmsg.MetadataRequest), r)
	case *kmsg.ProduceResponse:
		produced(req.(*kmsg.ProduceRequest), r, next)
	}
}

// Partitions is how many every topic has.
const Partitions = 3

func (s *sink) metadata(req *kmsg.MetadataRequest, r *kmsg.MetadataResponse) {
	broker := kmsg.NewMetadataResponseBroker()
	broker.NodeID, broker.Host, broker.Port = 1, "127.0.0.1", s.port
	r.Brokers, r.ControllerID = append(r.Brokers, broker), 1
	for _, asked := range req.Topics {
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic = asked.Topic
		for n := range int32(Partitions) {
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Partition, p.Leader, p.Replicas, p.ISR = n, 1, []int32{1}, []int32{1}
			topic.Partitions = append(topic.Partitions, p)
		}
		r.Topics = append(r.Topics, topic)
	}
}

// produced gives each batch its offsets: the number of its records stands 57 bytes from
// its beginning.
func produced(req *kmsg.ProduceRequest, r *kmsg.ProduceResponse, next map[string]int64) {
	for _, t := range req.Topics {
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			told := kmsg.NewProduceResponseTopicPartition()
			place := fmt.Sprint(t.Topic, p.Partition)
			told.Partition, told.BaseOffset, told.LogStartOffset = p.Partition, next[place], 0
			next[place] += int64(binary.BigEndian.Uint32(p.Records[57:]))
			topic.Partitions = append(topic.Partitions, told)
		}
		r.Topics = append(r.Topics, topic)
	}
}
