// BullMQ, from where the integration tests have it: the library itself depends on no queue.

import { createRequire } from 'node:module';

const integration = createRequire(new URL('../test/integration/package.json', import.meta.url));

export const bullmq = () => integration('bullmq');
