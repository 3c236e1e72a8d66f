import { createSpaces } from '../../identity/index.ts';
import { type LinksUnderTest, openLinks } from '../links.suite.ts';
import { registerWidgetRoutes } from './widget.routes.ts';

export async function openWidget(
  options?: Parameters<typeof openLinks>[0],
): Promise<LinksUnderTest> {
  const gate = await openLinks(options);
  const clock = () => gate.now;
  const { db, semaphores } = gate;
  const { spaces } = createSpaces({ db, semaphores, clock, onDeleted: () => {} });
  registerWidgetRoutes(gate.app, { stateOfToken: gate.links.stateOfToken, origins: spaces });
  return gate;
}
