export {
  type Consumer,
  type Consumers,
  type ConsumersDeps,
  createConsumers,
  type RegisteredConsumer,
} from './consumer.service.ts';
export type { ConsumerOptions } from './consumer-work.ts';
