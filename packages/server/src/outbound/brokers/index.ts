export { createSinks, type SinkLog, type SinksDeps, type SinksRoom } from './create-brokers.ts';
