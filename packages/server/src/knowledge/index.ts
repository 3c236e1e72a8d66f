export {
  createKnowledge,
  type KnowledgeDeps,
  type KnowledgeRoom,
  type KnowledgeRoutesDeps,
  registerKnowledgeRoutes,
} from './create-knowledge.ts';
