export { type Consumer, type Consumers, createConsumers } from './consumer.service.ts';
