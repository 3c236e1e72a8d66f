export { registerWidgetRoutes } from './widget.routes.ts';
