import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as bullmq from 'bullmq';
import * as bullmq5 from 'bullmq5';
import * as main from 'retry-policy';
import * as adapter from 'retry-policy/bullmq';
import * as classifiers from 'retry-policy/classifiers';
import * as temporal from 'retry-policy/temporal';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instrument, runDocument } from '../../document-runner.js';
import { blockFor } from '../../recipes/readme.js';
import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { node22 } from './pg-boss.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const engines = ['bullmq', 'pg-boss', 'temporal'] as const;

let redis: Server;
let postgres: Server;
let folder: string;
beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  folder = mkdtempSync(here('readme-')); // within the project, for its packages
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([redis.stop(), postgres.stop()]);
});

describe('the blocks of the README on queues', () => {
  it('compile, with the types of the engines', () => {
    const files = engines.map((engine) => {
      const file = join(folder, `${engine}.ts`);
      writeFileSync(file, blockFor(engine));
      return file;
    });
    const { config } = ts.readConfigFile(here('../../../tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, here('../../..'));
    const program = ts.createProgram(files, { ...options, noUnusedLocals: false });
    const faults = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(faults).toEqual([]);
  });

  it.each([
    ['6', bullmq],
    ['5', bullmq5],
  ])('run on BullMQ %s', async (_, engine) => {
    const code = blockFor('bullmq').replace('6379', String(redis.port));
    await runDocument(code, { modules: { bullmq: engine, 'retry-policy': main, 'retry-policy/bullmq': adapter } });
  });

  it('run with Temporal', async () => {
    const modules = { 'retry-policy/temporal': temporal, 'retry-policy/classifiers': classifiers };
    await runDocument(blockFor('temporal'), { modules });
  });

  it('run on pg-boss', async () => {
    const dist = here('../../../dist');
    const code = instrument(blockFor('pg-boss'))
      .replace('5432', String(postgres.port))
      .replaceAll(/from 'retry-policy(.*?)'/g, (_match, entry: string) => `from '${dist}${entry}/index.js'`);
    const file = join(folder, 'pg-boss.mts');
    writeFileSync(file, `import { deepStrictEqual as $equal } from 'node:assert';${code}`);
    await promisify(execFile)(node22, [file]);
  });
});
