// The tests of all commands share one service, because its start takes more time than most tests.
import './commands/sign-in.ts';
import './commands/manage.ts';
import './commands/push.ts';
import './commands/events.ts';
import './commands/send.ts';
import './commands/ask.ts';
import './commands/api.ts';
import './commands/completion.ts';
import './commands/exit-codes.ts';
import './commands/other-servers.ts';
import './commands/interruption.ts';
import './commands/guide.ts';
import { startTests } from './service.ts';

startTests();
