export { type CallTools, createCallTools } from './call-tools.ts';
export { type Consents, createConsents } from './consents.ts';
export { createPageCalls, type PageCalls } from './page-calls.ts';
export { createToolRepository } from './tool.repository.ts';
export { registerToolRoutes, type ToolRoutesDeps } from './tool.routes.ts';
export { createTools, type Tools } from './tool.service.ts';
export { TOOL_LIMITS, type ToolSender } from './tool-sender.ts';
