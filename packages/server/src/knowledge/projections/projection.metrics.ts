import type { Metrics } from '../../platform/metrics/index.ts';
import type { ProjectionModule } from './create-projections.ts';

export function showProjectionsLag(metrics: Metrics, lag: ProjectionModule['lag']): void {
  metrics.gauge({
    name: 'gatehouse_projections_lag',
    help: 'Events of any type that the projection with the largest backlog has not examined yet. 0 in replicas that do not derive records.',
    read: lag,
  });
}
