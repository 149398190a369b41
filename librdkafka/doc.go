// Package librdkafka is the driver for librdkafka, through confluent-kafka-go.
package librdkafka
