// Package sarama is the driver on IBM/sarama.
package sarama
