export { type BrokersModule, createBrokers } from './create-brokers.ts';
export { createBrokerSinks, UnusableCredentials } from './publishing/create-broker-sinks.ts';
