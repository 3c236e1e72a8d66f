import { showInstallation } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { routesFor } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import type { ShowInstallation } from './installation-status.service.ts';

export interface InstallationRoutesDeps {
  readonly access: Access;
  readonly installation: ShowInstallation;
}

export function registerInstallationRoutes(
  app: FastifyInstance,
  { access, installation }: InstallationRoutesDeps,
): void {
  routesFor(app, access.administrator)(showInstallation, () => installation());
}
