// The statements of the queue. Each is whole in itself, so that a worker may be killed between any two of them, and each that settles a
// job does so only for the worker that took it last. All times are the database's: the clocks of the workers need not agree.
// `db` is a Pool or a Client of `pg`, or whatever else has its `query`.

import { redriveState } from 'retry-policy/durable';

/** Puts a job into a queue; do it in the transaction that has a reason for it. */
export async function enqueue(db, queue, payload, { delayMs = 0 } = {}) {
  const text = `INSERT INTO jobs (queue, payload, available_at) VALUES ($1, $2, ${inMs('$3')}) RETURNING id`;
  const { rows } = await db.query(text, [queue, JSON.stringify(payload), delayMs]);
  return rows[0].id;
}

/** Takes up to `count` jobs that are due, for as long as the lease. A job whose worker was killed is due again when its lease has ended. */
export async function take(db, queue, { count, leaseMs }) {
  const text = `
    WITH due AS (
      SELECT id FROM jobs WHERE queue = $1 AND available_at <= now() ORDER BY available_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    UPDATE jobs SET starts = starts + 1, available_at = ${inMs('$3')} FROM due WHERE jobs.id = due.id RETURNING jobs.*`;
  const { rows } = await db.query(text, [queue, count, leaseMs]);
  return rows;
}

/** Answers whether the worker still has the job, and has it for another lease then. */
export async function renew(db, { id, starts }, leaseMs) {
  const text = `UPDATE jobs SET available_at = ${inMs('$3')} WHERE id = $1 AND starts = $2`;
  const { rowCount } = await db.query(text, [id, starts, leaseMs]);
  return rowCount === 1;
}

/** Does what `runJob` has answered. Each statement may be repeated, for whoever does not know whether it was carried out. */
export async function settle(db, { id, starts }, end) {
  const [text, ...values] = {
    succeed: () => ['DELETE FROM jobs WHERE id = $1 AND starts = $2'],
    retry: () => [
      `UPDATE jobs SET state = $3, settled = starts, available_at = ${inMs('$4')} WHERE id = $1 AND starts = $2`,
      JSON.stringify(end.state),
      end.decision.delayMs,
    ],
    'dead-letter': () => [
      `WITH dead AS (DELETE FROM jobs WHERE id = $1 AND starts = $2 RETURNING id, queue)
       INSERT INTO failed_jobs (id, queue, letter) SELECT id, queue, $3 FROM dead`,
      JSON.stringify(end.letter),
    ],
  }[end.action]();
  await db.query(text, [id, starts, ...values]);
}

/**
 * Gives a dead job another life, under its own number, with its payload as it was or a corrected one.
 *
 * @returns whether it was still dead
 * @throws {RangeError} if it came back as often as is allowed
 */
export async function redrive(db, id, { payload, maxRedrives } = {}) {
  const { rows } = await db.query('SELECT letter FROM failed_jobs WHERE id = $1', [id]);
  if (rows.length === 0) return false;
  const [{ letter }] = rows;
  const state = redriveState(letter, { maxRedrives });
  const text = `
    WITH back AS (DELETE FROM failed_jobs WHERE id = $1 AND letter = $2 RETURNING id, queue)
    INSERT INTO jobs (id, queue, payload, state) SELECT id, queue, $3, $4 FROM back`;
  const values = [letter, payload === undefined ? letter.payload : payload, state].map((value) => JSON.stringify(value));
  const { rowCount } = await db.query(text, [id, ...values]);
  return rowCount === 1;
}

/** A year is the longest wait: what is longer may be more than a column holds. */
const inMs = (parameter) => `now() + least(${parameter}::float8, 31536000000) * interval '1 millisecond'`;
