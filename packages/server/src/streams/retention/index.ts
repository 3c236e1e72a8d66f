export { countRemoved } from './retention.metrics.ts';
export { createRetention, type Retention, type RetentionDeps } from './retention.service.ts';
