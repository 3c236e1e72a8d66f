import { addAttachment, removeAttachment } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import {
  acceptStreamedBodies,
  bodyChunks,
  limitBodiesTogether,
  route,
  routesFor,
  unsupportedMediaType,
} from '../../http/index.ts';
import { type VisitorDeps, visitorOf } from '../visitor.service.ts';
import type { Attachments } from './attachment.service.ts';

export interface AttachmentRoutesDeps extends VisitorDeps {
  readonly attachments: Attachments;
}

/** Maximum bytes of all uploads in flight. */
const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024;
/** Maximum bytes by which one upload counts, because larger uploads are stored while they arrive. */
const MAX_BYTES_OF_UPLOAD = 4 * 1024 * 1024;

export function registerAttachmentRoutes(app: FastifyInstance, deps: AttachmentRoutesDeps): void {
  const { attachments } = deps;

  app.register(async (part) => {
    acceptStreamedBodies(part);
    limitBodiesTogether(part, { limit: MAX_BYTES_IN_FLIGHT, largest: MAX_BYTES_OF_UPLOAD });
    route(part, addAttachment, {
      caller: async (request) => attachments.admit(await visitorOf(deps, request), request.ip),
      rawBody: true,
      async handle({ caller, params, request, gone }) {
        const contentType = request.headers['content-type'] ?? '';
        if (!/^multipart\/form-data\b/i.test(contentType))
          throw unsupportedMediaType(['multipart/form-data']);
        const body = await attachments.add(caller, params.chatId, {
          chunks: bodyChunks(request),
          contentType,
          signal: gone(),
        });
        return { status: 201, body };
      },
    });
  });

  const forVisitors = routesFor(app, (request) => visitorOf(deps, request));
  forVisitors(removeAttachment, ({ caller, params }) =>
    attachments.remove(caller, params.chatId, params.attachmentId),
  );
}
