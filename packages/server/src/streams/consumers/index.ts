export type { Consumer } from './consumer.service.ts';
export type { ConsumerOptions } from './consumer-options.ts';
export {
  type Consumers,
  type ConsumersDeps,
  createConsumers,
  type RegisteredConsumer,
} from './create-consumers.ts';
