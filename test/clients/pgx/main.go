// pgx: a driver, so migrations are SQL.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const rows = 1000

var ctx = context.Background()

const migration = `
-- docs: migration
CREATE TABLE legacy (id serial PRIMARY KEY, item text);

SELECT idgen.idgen_create('parts', refill => 'auto');
CREATE TABLE parts (id bigint PRIMARY KEY DEFAULT idgen.idgen_next('parts'), item text);
-- docs: end
`

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// docs: insert
func insert(pool *pgxpool.Pool, table, item string) (id int64, err error) {
	err = pool.QueryRow(ctx, "INSERT INTO "+table+" (item) VALUES ($1) RETURNING id", item).Scan(&id)
	return
}

func insertBatch(pool *pgxpool.Pool, table string, items []string) (ids []int64, err error) {
	batch := &pgx.Batch{}
	for _, item := range items {
		batch.Queue("INSERT INTO "+table+" (item) VALUES ($1) RETURNING id", item)
	}
	results := pool.SendBatch(ctx, batch)
	defer results.Close()
	ids = make([]int64, len(items))
	for i := range ids {
		if err = results.QueryRow().Scan(&ids[i]); err != nil {
			return
		}
	}
	return
}

// docs: end

// copyFrom has no ids to read back: they are looked up.
func copyFrom(pool *pgxpool.Pool, table, item string) {
	var before int64
	check(pool.QueryRow(ctx, "SELECT max(id) FROM "+table).Scan(&before))
	copied := make([][]interface{}, rows)
	for i := range copied {
		copied[i] = []interface{}{item}
	}
	_, err := pool.CopyFrom(ctx, pgx.Identifier{table}, []string{"item"}, pgx.CopyFromRows(copied))
	check(err)
	found, err := pool.Query(ctx, "SELECT id FROM "+table+" WHERE id > $1", before)
	check(err)
	for found.Next() {
		var id int64
		check(found.Scan(&id))
		fmt.Println(id)
	}
	check(found.Err())
}

func draw(pool *pgxpool.Pool, table, item string) {
	id, err := insert(pool, table, item)
	check(err)
	fmt.Println(id)

	items := make([]string, rows)
	for i := range items {
		items[i] = item
	}
	ids, err := insertBatch(pool, table, items)
	check(err)
	for _, id := range ids {
		fmt.Println(id)
	}
	copyFrom(pool, table, item)

	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i < 25; i++ {
				id, err := insert(pool, table, item)
				check(err)
				fmt.Println(id)
			}
		}()
	}
	wait.Wait()
}

func main() {
	pool, err := pgxpool.Connect(ctx, "pool_max_conns=8")
	check(err)
	statement := map[string]string{
		"migrate": migration,
		"adopt":   "SELECT idgen.idgen_adopt('legacy', 'id')",
		"further": "ALTER TABLE legacy ADD COLUMN note text",
		"release": "SELECT idgen.idgen_release('legacy', 'id', 'serial')",
	}[os.Args[1]]
	if statement == "" {
		draw(pool, os.Args[2], os.Args[3])
		return
	}
	connection, err := pool.Acquire(ctx)
	check(err)
	_, err = connection.Conn().PgConn().Exec(ctx, statement).ReadAll()
	check(err)
}
