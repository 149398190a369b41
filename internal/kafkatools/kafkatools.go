// Package kafkatools plays Apache Kafka's own measuring tools as contestants beside the
// clients.
package kafkatools
