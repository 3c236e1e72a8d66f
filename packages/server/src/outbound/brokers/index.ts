export {
  type BrokersDeps,
  type BrokersModule,
  createBrokers,
  type SinkLog,
} from './create-brokers.ts';
export { createBrokerSinks, UnusableCredentials } from './publishing/create-broker-sinks.ts';
