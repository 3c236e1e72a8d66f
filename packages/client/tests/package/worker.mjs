// Runs the program on workerd, with `workerd test`.
import { use } from './program.mjs';

// biome-ignore lint/style/noDefaultExport: workerd calls the default export of a worker.
export default {
  async test(_controller, { settings }) {
    await use(...settings);
    console.log('complete');
  },
};
