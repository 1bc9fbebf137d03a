import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.SequenceGenerator;
import javax.persistence.Table;

/** Ids of a native sequence: JPA's strategy SEQUENCE. */
@Entity
@Table(name = "drawn")
public class BySequence {
	@Id
	@GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "ids")
	@SequenceGenerator(name = "ids", sequenceName = "ids_seq", allocationSize = Clients.BLOCK_SIZE)
	Long id;

	String who = "client";
}
