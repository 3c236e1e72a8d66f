export { registerWidgetRoutes, type WidgetRoutesDeps } from './widget.routes.ts';
