export { AnswerFailure } from './answerer.ts';
export { createAttachmentRetention } from './attachments/attachment-retention.ts';
export { createAnswerer } from './choose-answerer.ts';
export { createConversationEvents } from './conversation-events/conversation-events.ts';
export { createConversationRetention } from './conversations/conversation-retention.ts';
export {
  type AssistantDeps,
  type AssistantModule,
  type AssistantRoutesDeps,
  createAssistant,
  newestConversationIn,
  registerAssistantRoutes,
} from './create-assistant.ts';
export { registerMcpRoutes } from './mcp/mcp.routes.ts';
export {
  createModelDirectory,
  type ModelDirectory,
  type ModelDirectoryOptions,
  type Prices,
} from './models/index.ts';
export { TOOL_LIMITS } from './tools/index.ts';
export { type CountTurns, countTurns } from './turns/turn.metrics.ts';
export type { TurnRates } from './turns/turn-limits.ts';
