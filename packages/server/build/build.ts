// `npm run build`: writes dist/, which start.sh starts.
import { bundleServer } from './bundle.ts';

await bundleServer();
