-- side by side with: 0007
-- With statistics of the data, SQLite compiles a statement anew for each value that it gets, in case another plan suits
-- it better: that takes longer than most statements do. Ours have good plans without.
DROP TABLE IF EXISTS sqlite_stat1;
DROP TABLE IF EXISTS sqlite_stat4;
