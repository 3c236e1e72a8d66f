export { countRemoved } from './retention.metrics.ts';
export { createRetention, type Retention } from './retention.service.ts';
