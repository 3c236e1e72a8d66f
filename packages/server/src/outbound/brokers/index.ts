export { createSinks, type SinkLog, type SinksDeps, type SinksRoom } from './create-brokers.ts';
export { createBrokerSinks, UnusableCredentials } from './publishing/create-broker-sinks.ts';
