import Database from 'better-sqlite3';

// Another process that is writing: it holds the database until it is told to go on, then commits and ends.
const db = new Database(process.argv[2]);
db.exec('begin immediate; update accounts set balance = balance + 5 where id = 1');
process.once('message', () => {
  db.exec('commit');
  process.disconnect();
});
process.send('holds');
