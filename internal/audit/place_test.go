package audit_test

import (
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

func place(p *evidence.PartitionLog, offset int64) string {
	return fmt.Sprintf("%s-%d offset %d", p.Topic, p.Partition, offset)
}

// placeOf is where a record stands in an honest world.
func placeOf(key string) string {
	p, i := honest(messages).find(key)
	return place(p, p.Batches[i].BaseOffset)
}

// last is the place behind the last record of the partition where a key stands.
func last(key string) string {
	p, _ := honest(messages).find(key)
	return place(p, p.After)
}

// nth is the key of the nth payment of a partition.
func nth(partition int32, n int) string {
	return honest(messages).partition(payments, partition).Batches[n].Records[0].Key
}

// crcDiffers counts the payments that CRC32 puts elsewhere than murmur2 does.
func crcDiffers() (n int64) {
	for i := range messages {
		if differs(i) {
			n++
		}
	}
	return n
}

func firstCRCDiffers() string {
	n := 0
	for !differs(n) {
		n++
	}
	return paymentKey(n)
}

func differs(n int) bool {
	key := []byte(paymentKey(n))
	return partition.CRC32(key, 3) != partition.Murmur2(key, 3)
}
