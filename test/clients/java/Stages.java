import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What the programs in Java have in common. */
final class Stages {
	static final int ROWS = 1000;

	static final String ADOPT = "SELECT idgen.idgen_adopt('legacy', 'id')";
	static final String RELEASE = "SELECT idgen.idgen_release('legacy', 'id', 'serial')";

	static final String URL = String.format("jdbc:postgresql://%s:%s/%s?user=%s", System.getenv("PGHOST"),
		System.getenv("PGPORT"), System.getenv("PGDATABASE"), System.getenv("PGUSER"));

	/** Runs statements; prints what the first one answers, if it does. */
	static void run(String statements) throws SQLException {
		try (Connection connection = DriverManager.getConnection(URL); Statement statement = connection.createStatement()) {
			if (!statement.execute(statements))
				return;
			try (ResultSet rows = statement.getResultSet()) {
				while (rows.next())
					System.out.println(rows.getString(1));
			}
		}
	}

	/** Eight threads at once, each 25 times: all that they answer. */
	static List<Long> eightAtOnce(Callable<Long> insert) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		List<Long> ids = Collections.synchronizedList(new ArrayList<>());
		Callable<Void> many = () -> {
			for (int i = 0; i < 25; i++)
				ids.add(insert.call());
			return null;
		};

		for (Future<Void> thread : threads.invokeAll(Collections.nCopies(8, many)))
			thread.get();
		threads.shutdown();
		return ids;
	}

	static void print(List<Long> ids) {
		ids.forEach(System.out::println);
	}

	private Stages() {
	}
}
